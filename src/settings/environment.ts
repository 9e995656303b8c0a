/** Reads the variables that settings are read from. No other file reads the process's environment. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
