/** Explanations in the notebook and the report: the curves of each assay, and when to doubt its numbers. */
import { writeMarkdown, type Prose } from '../words/prose.ts';

export interface Lesson {
  readonly curves: { readonly title: string; readonly text: Prose };
  readonly doubt: { readonly title: string; readonly points: readonly Prose[] };
}

/** For the notebook. */
export function writeCurvesLesson({ curves: { title, text } }: Lesson): string {
  return `## ${title}\n\n${writeMarkdown(text)}`;
}

/** For the notebook. */
export function writeDoubtLesson({ doubt: { title, points } }: Lesson): string {
  return `## ${title}\n\n${points.map((point) => `- ${writeMarkdown(point)}`).join('\n')}`;
}
