/** Analyses that are carried out once for equal files: what an analysis computes is no subject of the model. */
import type { FileContents, FileToInspect } from '#analysis/formats/inspect.ts';
import { AnalysisPool, type Progress } from '#analysis/pool/pool.ts';
import { encodeFile, type EncodedFile } from '../shared-files.ts';

/** Of the samples of a simulated trace, every so many are kept: the curves stay what they are at a tenth of the bytes. */
const KEPT_EVERY = 10;
const SAMPLE_ROW = /^T\d+,(?:baseline|loading|association|dissociation),/;

/** The same plate with fewer samples. */
export function thinSamples({ name, content_base64: content }: EncodedFile): EncodedFile {
  const lines = Buffer.from(content, 'base64').toString('utf8').split('\n');
  let samples = 0;
  const kept = lines.filter((line) => !SAMPLE_ROW.test(line) || samples++ % KEPT_EVERY === 0);
  return encodeFile(name, Buffer.from(kept.join('\n')));
}

/** Requests are compared by the digests of their files, because equal files of two orders are stored in two places. */
function computeKey(request: unknown): string {
  return JSON.stringify(request, (key, value: unknown) => (key === 'path' ? undefined : value));
}

export class RememberedAnalyses extends AnalysisPool {
  readonly #known = new Map<string, Promise<unknown>>();

  override evaluate(assay: string, job: unknown, onProgress?: Progress): Promise<unknown> {
    return this.#remember({ assay, job }, () => super.evaluate(assay, job, onProgress));
  }

  override async inspect(given: FileToInspect): Promise<FileContents> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `inspect` answered before
    return (await this.#remember(given, () => super.inspect(given))) as FileContents;
  }

  #remember(request: unknown, ask: () => Promise<unknown>): Promise<unknown> {
    const key = computeKey(request);
    const answer = this.#known.get(key) ?? ask();
    this.#known.set(key, answer);
    return answer;
  }
}
