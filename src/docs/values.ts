// The values that guides name: `{{limits.otpPerDay}}` becomes the number of this service, as its reader writes it.
import { limits, type Limits, type Settings, settings } from "../kernel/limits.ts";
import { otpLimits } from "../otp/otp.ts";
