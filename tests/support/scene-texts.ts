/** The texts of a drawing. */
import type { Mark, Scene } from '#presentation/scene.ts';

/** Returns what stands in a drawing, in its order. */
export function listMarks({ marks }: Pick<Scene, 'marks'>): string[] {
  return marks.flatMap((mark: Mark) =>
    mark.kind === 'group' ? listMarks(mark) : mark.kind === 'text' ? [mark.text] : [],
  );
}
