/** The variables that settings are read from; nothing else touches the process's environment. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
