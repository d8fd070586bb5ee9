-- 0018_queue_default_cpu.sql - what a replica that asks for no CPU gets in a queue, in thousandths; without has_default_cpu the control plane's own setting counts.
alter table queue
    add column has_default_cpu boolean not null default false,
    add column default_cpu_milli integer not null default 0;
