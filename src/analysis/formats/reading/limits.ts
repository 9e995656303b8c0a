/** What the readers accept of one upload. `memory.test.ts` measures that one process stays below 256 MB at each limit. */
export const LIMITS = {
  files: 2_000,
  /** Size of one unpacked file, which is read whole. */
  fileBytes: 24 * 1024 * 1024,
  /** Size of all files together, packed and unpacked; they are read one after another. */
  totalBytes: 160 * 1024 * 1024,
  traces: 20_000,
  /** Steps of all traces. */
  steps: 50_000,
  /** Values of plate readers. */
  readings: 100_000,
  /** Points of all curves of an upload, 16 bytes each. */
  points: 3_000_000,
  /** Length of one line. */
  lineCharacters: 1_000_000,
  /** Lines before the data. */
  headLines: 1_000,
  fieldsPerRecord: 64,
} as const;
