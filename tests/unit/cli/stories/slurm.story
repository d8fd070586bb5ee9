Scripts with flags in them.

# lines of a script that begin with #SBATCH or #FAIRLEAD are flags, and the command line wins
fairlead run --dry-run --cpus 8 --script /dev/stdin 0.1
| #!/bin/sh
| #SBATCH --job-name=sweep --array=0-9
| #SBATCH -c 4 --mem=8G -t 30:00
| #FAIRLEAD --label team=red
| echo "$SLURM_ARRAY_TASK_ID $1"
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"resources":{"cpu":"8","memory":"8Gi"},"name":"sweep","deadline":"1800s","array":10,"labels":{"team":"red"},"env":{"JOB_SCRIPT":"#!/bin/sh\n#SBATCH --job-name=sweep --array=0-9\n#SBATCH -c 4 --mem=8G -t 30:00\n#FAIRLEAD --label team=red\necho \"$SLURM_ARRAY_TASK_ID $1\"\n"},"command":["/bin/sh","-c","export SLURM_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_TASK_ID=\"${FAIRLEAD_INDEX:-$FAIRLEAD_ELEMENT}\"; printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec ./script \"$@\"","script","0.1"]}
    | {"dryRun":true}

# the limit in --array N%M is one value with it: the command line wins over both, or over the limit alone
fairlead run --dry-run --script /dev/stdin
| #!/bin/sh
| #SBATCH --array=0-8%2
| true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"array":9,"parallelism":2,"env":{"JOB_SCRIPT":"#!/bin/sh\n#SBATCH --array=0-8%2\ntrue\n"},"command":["/bin/sh","-c","export SLURM_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_TASK_ID=\"${FAIRLEAD_INDEX:-$FAIRLEAD_ELEMENT}\"; printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec ./script \"$@\"","script"]}
    | {"dryRun":true}
fairlead run --dry-run --array 9%4 --script /dev/stdin
| #!/bin/sh
| #SBATCH --array=0-8%2
| true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"array":9,"parallelism":4,"env":{"JOB_SCRIPT":"#!/bin/sh\n#SBATCH --array=0-8%2\ntrue\n"},"command":["/bin/sh","-c","export SLURM_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_TASK_ID=\"${FAIRLEAD_INDEX:-$FAIRLEAD_ELEMENT}\"; printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec ./script \"$@\"","script"]}
    | {"dryRun":true}
fairlead run --dry-run --array 100 --script /dev/stdin
| #!/bin/sh
| #SBATCH --array=0-8%2
| true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"array":100,"env":{"JOB_SCRIPT":"#!/bin/sh\n#SBATCH --array=0-8%2\ntrue\n"},"command":["/bin/sh","-c","export SLURM_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_TASK_ID=\"${FAIRLEAD_INDEX:-$FAIRLEAD_ELEMENT}\"; printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec ./script \"$@\"","script"]}
    | {"dryRun":true}
fairlead run --dry-run --parallelism 5 --script /dev/stdin
| #!/bin/sh
| #SBATCH --array=0-8%2
| true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"array":9,"parallelism":5,"env":{"JOB_SCRIPT":"#!/bin/sh\n#SBATCH --array=0-8%2\ntrue\n"},"command":["/bin/sh","-c","export SLURM_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_TASK_ID=\"${FAIRLEAD_INDEX:-$FAIRLEAD_ELEMENT}\"; printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec ./script \"$@\"","script"]}
    | {"dryRun":true}
fairlead run --dry-run --array 9%4 --script /dev/stdin
| #!/bin/sh
| #FAIRLEAD --array 9 --parallelism 2
| true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"array":9,"parallelism":4,"env":{"JOB_SCRIPT":"#!/bin/sh\n#FAIRLEAD --array 9 --parallelism 2\ntrue\n"},"command":["/bin/sh","-c","printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec ./script \"$@\"","script"]}
    | {"dryRun":true}
fairlead run --dry-run --array 100 --script /dev/stdin
| #!/bin/sh
| #FAIRLEAD --array 9 --parallelism 2
| true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"array":100,"parallelism":2,"env":{"JOB_SCRIPT":"#!/bin/sh\n#FAIRLEAD --array 9 --parallelism 2\ntrue\n"},"command":["/bin/sh","-c","printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec ./script \"$@\"","script"]}
    | {"dryRun":true}
fairlead run --dry-run --script /dev/stdin
| #!/bin/sh
| #SBATCH --array=0-8%2
| #FAIRLEAD --parallelism 3
    ! fairlead: --array 9%2 and --parallelism 3 say different limits: write one of them
    exit 64

# an array that does not count from 0 keeps its numbers
fairlead run --dry-run --script /dev/stdin
| #!/bin/sh
| #SBATCH --array=1-9:2%3
| true
< 200 {"dryRun":true}
    POST /v1/jobs?dryRun=true&placement=true {"indexes":"1-9:2","parallelism":3,"env":{"JOB_SCRIPT":"#!/bin/sh\n#SBATCH --array=1-9:2%3\ntrue\n"},"command":["/bin/sh","-c","export SLURM_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_JOB_ID=\"$FAIRLEAD_JOB_ID\" SLURM_ARRAY_TASK_ID=\"${FAIRLEAD_INDEX:-$FAIRLEAD_ELEMENT}\"; printf '%s' \"$JOB_SCRIPT\" >script && chmod 700 script && unset JOB_SCRIPT && exec ./script \"$@\"","script"]}
    | {"dryRun":true}

# a flag of Slurm that cannot be kept is refused with what to write instead
fairlead run --script /dev/stdin
| #!/bin/sh
| #SBATCH --dependency=after:7
    ! fairlead: /dev/stdin: line 2: --dependency after:7: singleton, and afterok, afterany, afternotok and aftercorr with ids of jobs are kept, as in '#FAIRLEAD --after job-7:any'; 'after' is not
    exit 64
fairlead run --script /dev/stdin
| #!/bin/sh
| #SBATCH --array=9-1
    ! fairlead: /dev/stdin: line 2: --array 9-1: '9-1' ends before it begins: the smaller number comes first
    exit 64
fairlead run --script /dev/stdin
| #!/bin/sh
| #SBATCH --exclusive
    ! fairlead: /dev/stdin: line 2: --exclusive: ask for all of a node's CPUs: '#FAIRLEAD --cpus N'
    exit 64

# a flag of ours that is wrong in a script is refused with its line
fairlead run --script /dev/stdin
| #!/bin/sh
| #FAIRLEAD --cpu 4
    ! fairlead: /dev/stdin: line 2: no flag --cpu here; did you mean --cpus?
    exit 64
