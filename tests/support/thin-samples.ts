/** Smaller files of the simulated instrument, for tests whose subject is not the fit. */
import { encodeFile, type EncodedFile } from './shared-files.ts';

/** Of the samples of a simulated trace, every so many are kept: the curves stay what they are at a tenth of the bytes. */
const KEPT_EVERY = 10;
const SAMPLE_ROW = /^[^,]+,(?:baseline|loading|association|dissociation),/;

/** The same plate with fewer samples. */
export function thinSamples({ name, content_base64: content }: EncodedFile): EncodedFile {
  const lines = Buffer.from(content, 'base64').toString('utf8').split('\n');
  let samples = 0;
  const kept = lines.filter((line) => !SAMPLE_ROW.test(line) || samples++ % KEPT_EVERY === 0);
  return encodeFile(name, Buffer.from(kept.join('\n')));
}
