/* events.h - those who follow what is committed, on one front. */
#pragma once

struct api;

/* Notices may have been lost: each follower reads what it lacks. */
void api_events_catch_up(struct api *api);
void api_events_fini(struct api *api);
