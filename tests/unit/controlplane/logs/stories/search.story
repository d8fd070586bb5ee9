Lines that match a text or an expression.

# a text is found with its places, and lines keep their numbers
write 7/0#1 r0 "the cat\nthe dog\ncat and cat\n"
end 7/0#1 r0
search 7 "cat"
    job-7/0#1 r0 line 0 at=1s "the [cat]\n"
    job-7/0#1 r0 line 2 at=1s "[cat] and [cat]\n"
    of 3 lines
search 7 "Cat"
    of 3 lines
search 7 "Cat" any-case
    job-7/0#1 r0 line 0 at=1s "the [cat]\n"
    job-7/0#1 r0 line 2 at=1s "[cat] and [cat]\n"
    of 3 lines
search 7 "cat" without
    job-7/0#1 r0 line 1 at=1s "the dog\n"
    of 3 lines
search 7 "bird"
    of 3 lines

# an expression is found, and a wrong one is refused with its place
write 7/0#1 r0 "loss=0.31\nloss=nan\nacc=0.9\n"
end 7/0#1 r0
search 7 "loss=(nan|inf)" regex
    job-7/0#1 r0 line 1 at=1s "[loss=nan]\n"
    of 3 lines
search 7 "^acc" regex
    job-7/0#1 r0 line 2 at=1s "[acc]=0.9\n"
    of 3 lines
search 7 "(" regex
    invalid: missing closing parenthesis, at byte 1
search 7 "[0-9]+" regex line=1
    job-7/0#1 r0 line 2 at=1s "acc=[0].[9]\n"
    of 3 lines

# a gap is given with any text, since it might have had it
config attempt_bytes_max=300000
write 7/0#1 r0 "line %d of a long output, which has more than fits\n" times=10000
end 7/0#1 r0
seal 1
search 7 "line 9998 |line 11 " regex
    job-7/0#1 r0 line 11 at=12s "[line 11 ]of a long output, which has more than fits\n"
    job-7/0#1 r0 line 2852 at=7170s gap limit of 228801 bytes, 4317 lines
    job-7/0#1 r0 line 9998 at=9999s "[line 9998 ]of a long output, which has more than fits\n"
    of 10000 lines

# outputs of a job are searched together, or one of them
write 7/0#1 r0 "error: disk\n" at=3s
write 7/0#1 r1 "error: net\n" at=2s
end 7/0#1 r0
end 7/0#1 r1
search 7 "error"
    job-7/0#1 r1 line 0 at=2s "[error]: net\n"
    job-7/0#1 r0 line 0 at=3s "[error]: disk\n"
    of 2 lines
search 7 "error" replicas=0-0
    job-7/0#1 r0 line 0 at=3s "[error]: disk\n"
    of 1 lines

# a search by level without a text fills its pages with lines of that level
write 7/0#1 r0 "error: a\nx\nx\nx\nwarning: b\nERROR c\nx\nERROR d\n"
end 7/0#1 r0
search 7 "" level=error page=2
    job-7/0#1 r0 line 0 at=1s "error: a\n"
    job-7/0#1 r0 line 5 at=1s "ERROR c\n"
    of 8 lines
search 7 "" level=error,none page=2 on
    job-7/0#1 r0 line 6 at=1s "x\n"
    job-7/0#1 r0 line 7 at=1s "ERROR d\n"
    of 8 lines
search 7 "x" level=error
    of 8 lines
search 7 "c" level=error,warn
    job-7/0#1 r0 line 5 at=1s "ERROR [c]\n"
    of 8 lines

# outputs that were lost come once, in one page behind the lines of a search by level
write 7/0#1 r0 "error: a\nx\nerror: b\n"
write 7/0#1 r1 "x\n"
search 7 "" level=error ended=0#1:llll page=1
    job-7/0#1 r0 line 0 at=1s "error: a\n"
    of 4 lines, 4 are lost
search 7 "" level=error ended=0#1:llll page=1 on
    job-7/0#1 r0 line 2 at=1s "error: b\n"
    of 4 lines, 4 are lost
search 7 "" level=error ended=0#1:llll page=1 on
    job-7/0#1 r0 line 0 gap lost of 0 bytes, 0 lines
    job-7/0#1 r1 line 1 at=1s gap lost of 0 bytes, 0 lines
    job-7/0#1 r2 line 0 gap lost of 0 bytes, 0 lines
    job-7/0#1 r3 line 0 gap lost of 0 bytes, 0 lines
    of 4 lines, 4 are lost

# bytes that are no text do not match, and the text around them does
write 7/0#1 r0 "bad \xff byte\n"
end 7/0#1 r0
search 7 "byte"
    job-7/0#1 r0 line 0 at=1s "bad \xff [byte]\n"
    of 1 lines
search 7 "bad . byte" regex
    of 1 lines
