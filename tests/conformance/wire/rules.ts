/**
 * This folder: the wire contract as rows, a file for each of its sections, and the test that holds each row. Not here:
 * those tests.
 */

export interface WireRule {
  /** The rule in one sentence. */
  readonly rule: string;
  /** `file` from the root of the repository; `title` as the source writes it, or with its holes filled. */
  readonly test: { readonly file: string; readonly title: string };
}
