/** Analyses that are carried out once for equal files: what an analysis computes is no subject of the model. */
import type { FileContents, FileToInspect } from '#analysis/formats/inspect.ts';
import { AnalysisPool, type JobOptions } from '#analysis/pool/pool.ts';

/** Requests are compared by the digests of their files, because equal files of two orders are stored in two places. */
function computeKey(request: unknown): string {
  return JSON.stringify(request, (key, value: unknown) => (key === 'path' ? undefined : value));
}

export class RememberedAnalyses extends AnalysisPool {
  readonly #known = new Map<string, Promise<unknown>>();

  /** The curves stay in memory: what one run keeps aside is gone when the next asks. */
  override evaluate(assay: string, job: unknown, { onProgress }: JobOptions = {}): Promise<unknown> {
    return this.#remember({ assay, job }, () => super.evaluate(assay, job, { onProgress }));
  }

  override async inspect(file: FileToInspect): Promise<FileContents> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `inspect` answered before
    return (await this.#remember(file, () => super.inspect(file))) as FileContents;
  }

  #remember(request: unknown, ask: () => Promise<unknown>): Promise<unknown> {
    const key = computeKey(request);
    const answer = this.#known.get(key) ?? ask();
    this.#known.set(key, answer);
    return answer;
  }
}
