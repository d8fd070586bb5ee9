#include "controlplane/engine/lease_rule.h"

#include "shared/base/assert.h"

static fl_ms good_ms(const struct lease_rule *rule)
{
    return (fl_ms)rule->ttl_ms * 2 / 3;
}

static fl_ms renew_ms(const struct lease_rule *rule)
{
    return (fl_ms)rule->ttl_ms / 3;
}

static void end(struct lease_rule *rule)
{
    rule->state = LEASE_NONE;
    rule->asking = LEASE_ASK_NOTHING;
}

void lease_rule_hold(struct lease_rule *rule, fl_ms asked_at)
{
    rule->state = LEASE_HELD;
    rule->held_at = asked_at;
    rule->good_until = asked_at + good_ms(rule);
    rule->ask_at = asked_at + renew_ms(rule);
}

void lease_rule_release(struct lease_rule *rule, fl_ms now)
{
    if (rule->state != LEASE_HELD) return;
    rule->state = LEASE_RELEASING;
    rule->release_by = now + LEASE_RELEASE_MS;
    rule->ask_at = now;
}

bool lease_rule_is_good(const struct lease_rule *rule, fl_ms now)
{
    return rule->state == LEASE_HELD && now < rule->good_until;
}

bool lease_rule_expires(struct lease_rule *rule, fl_ms now)
{
    if (rule->state == LEASE_HELD && now >= rule->good_until) {
        end(rule);
        return true;
    }
    if (rule->state == LEASE_RELEASING && now >= rule->release_by) end(rule);
    return false;
}

enum lease_question lease_rule_next(const struct lease_rule *rule, fl_ms now)
{
    if (rule->state == LEASE_NONE || rule->asking != LEASE_ASK_NOTHING || now < rule->ask_at) {
        return LEASE_ASK_NOTHING;
    }
    return rule->state == LEASE_HELD ? LEASE_ASK_RENEWAL : LEASE_ASK_RELEASE;
}

void lease_rule_asked(struct lease_rule *rule, enum lease_question question, fl_ms now)
{
    fl_assert(rule->asking == LEASE_ASK_NOTHING && question != LEASE_ASK_NOTHING);
    rule->asking = question;
    rule->asked_at = now;
}

bool lease_rule_answered(struct lease_rule *rule, enum lease_answer answer, fl_ms now)
{
    enum lease_question asked = rule->asking;
    fl_ms good_until = rule->asked_at + good_ms(rule);

    rule->asking = LEASE_ASK_NOTHING;
    if (asked == LEASE_ASK_NOTHING || rule->state == LEASE_NONE) return false;
    if (answer == LEASE_NO_ANSWER) {
        rule->ask_at = now + LEASE_RETRY_MS;
        return false;
    }
    if (asked == LEASE_ASK_RELEASE) {
        end(rule);
        return false;
    }
    if (rule->state == LEASE_RELEASING) return false; /* now it is the release's turn */
    if (answer == LEASE_ANOTHERS) {
        if (rule->asked_at < rule->held_at) return false; /* it has been taken back since */
        end(rule);
        return true;
    }
    if (good_until > rule->good_until) rule->good_until = good_until;
    rule->ask_at = rule->asked_at + renew_ms(rule);
    return false;
}

fl_ms lease_rule_deadline(const struct lease_rule *rule, bool can_ask)
{
    fl_ms due = rule->state == LEASE_HELD ? rule->good_until : rule->release_by;

    if (rule->state == LEASE_NONE) return INT64_MAX;
    return can_ask && rule->asking == LEASE_ASK_NOTHING && rule->ask_at < due ? rule->ask_at : due;
}
