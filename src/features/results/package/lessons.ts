/** Explanations in the notebook and the report: the curves of each assay, and when to doubt its numbers. */
import { writeMarkdown, type Prose } from '#documents/prose.ts';

export interface Lesson {
  readonly curves: { readonly title: string; readonly text: Prose };
  readonly doubt: { readonly title: string; readonly points: readonly Prose[] };
}

/** Writes the explanation of the curves for the notebook. */
export function writeCurvesLesson({ curves: { title, text } }: Lesson): string {
  return `## ${title}\n\n${writeMarkdown(text)}`;
}

/** Writes the reasons for doubt for the notebook. */
export function writeDoubtLesson({ doubt: { title, points } }: Lesson): string {
  return `## ${title}\n\n${points.map((point) => `- ${writeMarkdown(point)}`).join('\n')}`;
}
