/* log_settings.ts - what this browser remembers of how a person reads logs. */
import { remembered } from "../store/remembered";
import { TIME_MODES, type TimeMode } from "./log_time";

export const timeMode = remembered<TimeMode>("logs.times", TIME_MODES, "off");
export const wrapping = remembered("logs.lines", ["cut", "wrap"] as const, "cut");
