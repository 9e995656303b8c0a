/** The texts of a drawing. */
import type { Mark, Scene } from '#documents/scene.ts';

/** Returns what stands in a drawing, in its order. */
export function listTexts({ marks }: Pick<Scene, 'marks'>): string[] {
  return marks.flatMap((mark: Mark) =>
    mark.kind === 'group' ? listTexts(mark) : mark.kind === 'text' ? [mark.text] : [],
  );
}
