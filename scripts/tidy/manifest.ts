/** What package.json says about packages and aliases. */
export const SECTIONS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

export type Manifest = Readonly<
  Record<(typeof SECTIONS)[number] | 'imports', Readonly<Record<string, string>>>
>;

export function readManifest(text: string | undefined): Manifest {
  const manifest: unknown = JSON.parse(text ?? '{}');
  const part = (name: string): Record<string, string> =>
    Object.fromEntries(
      listEntries(listEntries(manifest).find(([key]) => key === name)?.[1]).map(([key, value]) => [
        key,
        String(value),
      ]),
    );
  return {
    dependencies: part('dependencies'),
    devDependencies: part('devDependencies'),
    optionalDependencies: part('optionalDependencies'),
    imports: part('imports'),
  };
}

function listEntries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
