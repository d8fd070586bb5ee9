/* replica_output.h - whether more of a replica's output will come once its attempt has ended.
 * The row that ends an attempt says it with a letter for each replica, or nothing where no replica
 * ran.  The letters are stored: never changed.  Types only. */
#pragma once

enum core_output {
    CORE_OUTPUT_none = '-', /* it never ran: there is no output */
    CORE_OUTPUT_due = 'd',  /* its agent reported how it ended, and brings the output's end */
    CORE_OUTPUT_lost = 'l', /* it may have run, and its agent has none of it: nothing more comes */
};
