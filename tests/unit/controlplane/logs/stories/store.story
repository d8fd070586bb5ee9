Cuts, crashes, limits, seals, and jobs that are forgotten.

# an output goes on where it was, over a cut, a restart and a crash
write 7/0#1 r0 "before\n"
cut
write 7/0#1 r0 "behind a cut\n" at=2s
restart
write 7/0#1 r0 "behind a restart\n" at=3s
read 7
    job-7/0#1 r0 line 0 at=1s "before\n"
    job-7/0#1 r0 line 1 at=2s "behind a cut\n"
    job-7/0#1 r0 line 2 at=3s "behind a restart\n"
    of 3 lines, 1 outputs go on
crash
write 7/0#1 r0 "behind a crash\n" at=4s
end 7/0#1 r0
read 7
    job-7/0#1 r0 line 0 at=1s "before\n"
    job-7/0#1 r0 line 1 at=2s "behind a cut\n"
    job-7/0#1 r0 line 2 at=3s "behind a restart\n"
    job-7/0#1 r0 line 3 at=4s "behind a crash\n"
    of 4 lines

# a sealed output is read as an open one
write 7/0#1 r0 "line %d\n" times=6
end 7/0#1 r0
read 7 line=4
    job-7/0#1 r0 line 4 at=5s "line 4\n"
    job-7/0#1 r0 line 5 at=6s "line 5\n"
    of 6 lines
seal 1
read 7 line=4
    job-7/0#1 r0 line 4 at=5s "line 4\n"
    job-7/0#1 r0 line 5 at=6s "line 5\n"
    of 6 lines
crash
read 7 tail=1
    job-7/0#1 r0 line 5 at=6s "line 5\n"
    of 6 lines

# a long output keeps its first and last part, and a gap stands for the middle
config attempt_bytes_max=300000
write 7/0#1 r0 "line %d of a long output, which has more than fits\n" times=10000
end 7/0#1 r0
seal 1
read 7
    job-7/0#1 r0 line 0 at=1s "line 0 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 1 at=2s "line 1 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 2 at=3s "line 2 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 3 at=4s "line 3 of a long output, which has more than fits\n"
    ... and 5676 more
    job-7/0#1 r0 line 9996 at=9997s "line 9996 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 9997 at=9998s "line 9997 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 9998 at=9999s "line 9998 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 9999 at=10000s "line 9999 of a long output, which has more than fits\n"
    of 10000 lines
read 7 line=5000
    job-7/0#1 r0 line 5000 at=7170s gap limit of 228801 bytes, 2169 lines
    job-7/0#1 r0 line 7169 at=7170s "line 7169 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 7170 at=7171s "line 7170 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 7171 at=7172s "line 7171 of a long output, which has more than fits\n"
    ... and 2824 more
    job-7/0#1 r0 line 9996 at=9997s "line 9996 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 9997 at=9998s "line 9997 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 9998 at=9999s "line 9998 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 9999 at=10000s "line 9999 of a long output, which has more than fits\n"
    of 10000 lines
read 7 tail=3
    job-7/0#1 r0 line 9997 at=9998s "line 9997 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 9998 at=9999s "line 9998 of a long output, which has more than fits\n"
    job-7/0#1 r0 line 9999 at=10000s "line 9999 of a long output, which has more than fits\n"
    of 10000 lines

# each output of an attempt has its share of the limit
config attempt_bytes_max=300000
write 7/0#1 r0 "short\n" at=1s
write 7/0#1 r1 "line %d of a long output, which has more than fits\n" at=2s times=10000
end 7/0#1 r0
end 7/0#1 r1
seal 1
read 7 replicas=0-0
    job-7/0#1 r0 line 0 at=1s "short\n"
    of 1 lines
read 7 replicas=1-1
    job-7/0#1 r1 line 0 at=2s "line 0 of a long output, which has more than fits\n"
    job-7/0#1 r1 line 1 at=3s "line 1 of a long output, which has more than fits\n"
    job-7/0#1 r1 line 2 at=4s "line 2 of a long output, which has more than fits\n"
    job-7/0#1 r1 line 3 at=5s "line 3 of a long output, which has more than fits\n"
    ... and 5676 more
    job-7/0#1 r1 line 9996 at=9998s "line 9996 of a long output, which has more than fits\n"
    job-7/0#1 r1 line 9997 at=9999s "line 9997 of a long output, which has more than fits\n"
    job-7/0#1 r1 line 9998 at=10000s "line 9998 of a long output, which has more than fits\n"
    job-7/0#1 r1 line 9999 at=10001s "line 9999 of a long output, which has more than fits\n"
    of 10000 lines

# a forgotten job has no output, and others keep theirs
write 7/0#1 r0 "seven\n"
write 8/0#1 r0 "eight\n"
end 7/0#1 r0
end 8/0#1 r0
seal 1
forget 7
read 7
    of 0 lines
read 8
    job-8/0#1 r0 line 0 at=1s "eight\n"
    of 1 lines
crash
read 7
    of 0 lines
read 8
    job-8/0#1 r0 line 0 at=1s "eight\n"
    of 1 lines
