The end of a job's outputs, as one who reads an ended job hears of it.

# an output that ended is over, and an attempt that never ran has none
write 7/0#1 r0 "done\n"
end 7/0#1 r0
read 7 ended=0#1:d-
    job-7/0#1 r0 line 0 at=1s "done\n"
    of 1 lines

# an output that is due goes on until its end has come
write 7/0#1 r0 "half\n"
read 7 ended=0#1:d
    job-7/0#1 r0 line 0 at=1s "half\n"
    of 1 lines, 1 outputs go on
end 7/0#1 r0
read 7 ended=0#1:d
    job-7/0#1 r0 line 0 at=1s "half\n"
    of 1 lines

# an output that was lost ends with a gap behind what came
write 7/0#1 r0 "half"
read 7 ended=0#1:l
    job-7/0#1 r0 line 0 at=1s "half"
    job-7/0#1 r0 line 0 at=1s gap lost of 0 bytes, 0 lines
    of 1 lines, 1 are lost

# an output that is given up ends with a gap, too
write 7/0#1 r0 "half\n"
read 7 ended=0#1:dd given-up
    job-7/0#1 r0 line 0 at=1s "half\n"
    job-7/0#1 r0 line 1 at=1s gap lost of 0 bytes, 0 lines
    job-7/0#1 r1 line 0 gap lost of 0 bytes, 0 lines
    of 1 lines, 2 are lost
