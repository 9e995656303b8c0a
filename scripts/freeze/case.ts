/** What a freeze is made of: a name, and how to come by the analysis it stands for. */
export interface FreezeCase {
  /** Names the data and the settings; unique among all cases. */
  readonly name: string;
  /** Runs the analysis. What it throws is frozen as well. */
  readonly run: () => unknown;
}
