Reads by place, time and selection.

# an output is read as it was written, line by line
write 7/0#1 r0 "one\ntwo\n" at=2s
write 7/0#1 r0 "three, without an end" at=3s
read 7
    job-7/0#1 r0 line 0 at=2s "one\n"
    job-7/0#1 r0 line 1 at=2s "two\n"
    job-7/0#1 r0 line 2 at=3s "three, without an end" is not over
    of 3 lines, 1 outputs go on
end 7/0#1 r0
read 7
    job-7/0#1 r0 line 0 at=2s "one\n"
    job-7/0#1 r0 line 1 at=2s "two\n"
    job-7/0#1 r0 line 2 at=3s "three, without an end"
    of 3 lines

# bytes that are no text, and empty lines, come back as they were
write 7/0#1 r0 "\x01a\xff\n\n\n"
end 7/0#1 r0
read 7
    job-7/0#1 r0 line 0 at=1s "\x01a\xff\n"
    job-7/0#1 r0 line 1 at=1s "\n"
    job-7/0#1 r0 line 2 at=1s "\n"
    of 3 lines

# an output begins at a line, or so many before its end
write 7/0#1 r0 "line %d\n" times=20
end 7/0#1 r0
read 7
    job-7/0#1 r0 line 0 at=1s "line 0\n"
    job-7/0#1 r0 line 1 at=2s "line 1\n"
    job-7/0#1 r0 line 2 at=3s "line 2\n"
    job-7/0#1 r0 line 3 at=4s "line 3\n"
    ... and 12 more
    job-7/0#1 r0 line 16 at=17s "line 16\n"
    job-7/0#1 r0 line 17 at=18s "line 17\n"
    job-7/0#1 r0 line 18 at=19s "line 18\n"
    job-7/0#1 r0 line 19 at=20s "line 19\n"
    of 20 lines
read 7 line=17
    job-7/0#1 r0 line 17 at=18s "line 17\n"
    job-7/0#1 r0 line 18 at=19s "line 18\n"
    job-7/0#1 r0 line 19 at=20s "line 19\n"
    of 20 lines
read 7 tail=2
    job-7/0#1 r0 line 18 at=19s "line 18\n"
    job-7/0#1 r0 line 19 at=20s "line 19\n"
    of 20 lines
read 7 line=20
    of 20 lines
read 7 tail=0
    of 20 lines

# a page ends after so many lines, and a later read goes on behind it
write 7/0#1 r0 "line %d\n" times=5
end 7/0#1 r0
read 7 page=2
    job-7/0#1 r0 line 0 at=1s "line 0\n"
    job-7/0#1 r0 line 1 at=2s "line 1\n"
    of 5 lines
read 7 on page=2
    job-7/0#1 r0 line 2 at=3s "line 2\n"
    job-7/0#1 r0 line 3 at=4s "line 3\n"
    of 5 lines
restart
read 7 on
    job-7/0#1 r0 line 4 at=5s "line 4\n"
    of 5 lines

# lines of a time are chosen
write 7/0#1 r0 "line %d\n" at=10s times=10
end 7/0#1 r0
read 7 since=12s until=14s
    job-7/0#1 r0 line 2 at=12s "line 2\n"
    job-7/0#1 r0 line 3 at=13s "line 3\n"
    of 10 lines
read 7 since=30s
    of 10 lines

# the outputs of a job are merged by time, and each keeps its order
write 7/0#1 r0 "a at 1\n" at=1s
write 7/0#1 r1 "b at 2\n" at=2s
write 7/0#1 r0 "a at 3\n" at=3s
write 7/0#1 r1 "b at 3\n" at=3s
end 7/0#1 r0
end 7/0#1 r1
read 7
    job-7/0#1 r0 line 0 at=1s "a at 1\n"
    job-7/0#1 r1 line 0 at=2s "b at 2\n"
    job-7/0#1 r0 line 1 at=3s "a at 3\n"
    job-7/0#1 r1 line 1 at=3s "b at 3\n"
    of 4 lines
read 7 line=2
    job-7/0#1 r0 line 1 at=3s "a at 3\n"
    job-7/0#1 r1 line 1 at=3s "b at 3\n"
    of 4 lines
read 7 tail=1
    job-7/0#1 r1 line 1 at=3s "b at 3\n"
    of 4 lines
read 7 replicas=1-5
    job-7/0#1 r1 line 0 at=2s "b at 2\n"
    job-7/0#1 r1 line 1 at=3s "b at 3\n"
    of 2 lines
read 7 replicas=2-5
    of 0 lines

# an element and an attempt are chosen
write 7/0#1 r0 "first try\n"
end 7/0#1 r0
write 7/0#2 r0 "second try\n" at=5s
end 7/0#2 r0
write 7/1#1 r0 "another element\n" at=6s
end 7/1#1 r0
read 7
    job-7/0#1 r0 line 0 at=1s "first try\n"
    job-7/0#2 r0 line 0 at=5s "second try\n"
    job-7/1#1 r0 line 0 at=6s "another element\n"
    of 3 lines
read 7 element=0
    job-7/0#1 r0 line 0 at=1s "first try\n"
    job-7/0#2 r0 line 0 at=5s "second try\n"
    of 2 lines
read 7 element=0 attempt=2
    job-7/0#2 r0 line 0 at=5s "second try\n"
    of 1 lines
read 7 element=2
    of 0 lines

# an unfinished line is given as far as it came, and whole once its output has ended
write 7/0#1 r0 "not yet" at=1s
write 7/0#1 r1 "whole\n" at=2s
read 7
    job-7/0#1 r0 line 0 at=1s "not yet" is not over
    job-7/0#1 r1 line 0 at=2s "whole\n"
    of 2 lines, 2 outputs go on
end 7/0#1 r0
read 7
    job-7/0#1 r0 line 0 at=1s "not yet"
    job-7/0#1 r1 line 0 at=2s "whole\n"
    of 2 lines, 1 outputs go on
