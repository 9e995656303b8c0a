/**
 * fast-check, drawing from the same seed in every run; each night takes another. A property that does not hold says its
 * seed and path, and `ASSAYER_FUZZ_SEED` repeats it.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['ASSAYER_FUZZ_SEED'] ?? '1') });

export default fc;
