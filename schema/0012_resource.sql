-- 0012_resource.sql - the resources that nodes have offered by name; an id is never another name's.
create table resource(id smallint primary key, name text not null);
