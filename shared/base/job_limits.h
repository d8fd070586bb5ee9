/* job_limits.h - the limits of a job, each once: document, core, journal and CLI keep the same.
 * They are plain numbers, so that FL_QUOTE makes a text of each: "at most "
 * FL_QUOTE(FL_JOB_PARAMS_MAX) " texts".  docs/reference/limits.md is made from them.
 * Uses libc only. */
#pragma once

#define FL_JOB_ROLES_MAX 16
#define FL_JOB_REPLICAS_MAX 1024 /* in all roles together */
#define FL_JOB_NAMED_MAX 8       /* resources beside cpu, memory and gpus, in all roles together */
#define FL_JOB_CLUSTERS_MAX 32   /* in clusters, and as many in notClusters */
#define FL_JOB_NODE_LABELS_MAX 16
#define FL_JOB_TOLERATIONS_MAX 16
#define FL_JOB_MOUNTS_MAX 16 /* in a role */
#define FL_JOB_SECRET_ENV_MAX 32
#define FL_JOB_NODE_TERMS_MAX 16        /* in the affinity of a job */
#define FL_JOB_NODE_REQUIREMENTS_MAX 32 /* in all its terms together: each node is compared */
#define FL_JOB_NODE_VALUES_MAX 64       /* in a requirement */
#define FL_JOB_LABELS_MAX 32
#define FL_JOB_RETRIES_MAX 1000
#define FL_JOB_AFTER_MAX 64          /* jobs that one waits for */
#define FL_JOB_ELEMENTS_MAX 16777216 /* element numbers have 24 bits */
#define FL_JOB_ELEMENT_LAST 16777215 /* the highest number */
#define FL_JOB_INDEX_LAST 999999999  /* the highest number that people give to an element */
#define FL_JOB_ENV_MAX 512
#define FL_JOB_WORDS_MAX 4096          /* in command, and as many in args */
#define FL_JOB_CPU_MILLI_MAX 100000000 /* thousandths, for a replica */
#define FL_JOB_GPUS_MAX 100000         /* for a replica */
#define FL_JOB_PRIORITY_MAX 1000       /* the least is its negative */
#define FL_JOB_PARAMS_MAX 512
#define FL_JOB_DEADLINE_S_MAX 31622400 /* 366 days */
#define FL_JOB_GRACE_S_MAX 86400
#define FL_JOB_GRACE_S 30 /* used when the document gives none */

#define FL_QUEUE_DEFAULT "default" /* the queue of jobs that name none */

/* In bytes. */
#define FL_JOB_NAME_BYTES_MAX 253
#define FL_JOB_ROLE_NAME_BYTES_MAX 24
#define FL_JOB_IMAGE_BYTES_MAX 1024
#define FL_JOB_MOUNT_PATH_BYTES_MAX 1024
#define FL_JOB_MOUNT_NAME_BYTES_MAX 253 /* a claim, ConfigMap or Secret has one */
#define FL_JOB_WORKING_DIR_BYTES_MAX 4096
#define FL_JOB_WORD_BYTES_MAX 131071 /* Linux takes no longer argument */
#define FL_JOB_ENV_VALUE_BYTES_MAX 32768
#define FL_JOB_PARAMS_BYTES_MAX 32768 /* all of them: they travel in START, whose frame has 65536 */
#define FL_JOB_INDEXES_BYTES_MAX 4096 /* the list of those numbers, as written and canonical */
#define FL_JOB_LABEL_BYTES_MAX 381    /* as "key=value" */
#define FL_JOB_LABELS_BYTES_MAX 16384 /* as "key=value\n" lines */
#define FL_JOB_AFFINITY_BYTES_MAX 4096 /* its terms, as shared/base/node_affinity.h writes them */
#define FL_JOB_SPEC_BYTES_MAX 262144   /* canonical, as it is stored and sent */
#define FL_JOB_SHAPE_BYTES_MAX 16384
#define FL_JOB_NODES_BYTES_MAX 262144 /* names of the nodes of its replicas, a line each */
#define FL_JOB_AFTER_BYTES_MAX 576    /* as it is stored */

_Static_assert(FL_JOB_ELEMENT_LAST + 1 == FL_JOB_ELEMENTS_MAX, "they are numbered from 0");
