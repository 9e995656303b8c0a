/** Errors of what a file states, which no file tells. */
/** Error of stated or fitted times of injections: half the step of their search. */
const TIME_SE_S = 0.125;

/** Error of a dose: two transfers by pipette of about 2 % each (ISO 8655-2). */
const DOSE_SE = 0.03;
/** Fraction of the analyte that stays in the buffer after an injection: a rinsed needle or tip leaves a thousandth. */
const LEFTOVER_SD = 0.001;

export const ASSUMED_ERRORS = { timeSe: TIME_SE_S, doseSe: DOSE_SE, leftoverSd: LEFTOVER_SD } as const;
