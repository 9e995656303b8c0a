/**
 * The measures that all figures share, and the panels of one.
 * This folder: axes, marks, legends and labels of figures. Not here: what is drawn with them.
 */
import { getColor } from '../colors.ts';
import { drawText, TEXT_SIZE, type Mark } from '../scene.ts';
import { fitText } from './width.ts';

export const MARGIN = 24;
/**
 * Largest width of a figure in pixels: at the text width of an A4 page, or at the 180 mm of two journal columns, its
 * letters stay above 6.5 points.
 */
export const WIDTH_MAX = 800;
/** Size of the smallest letters in pixels. */
export const SMALLEST = TEXT_SIZE;

/** In how many columns panels stand; four of them make a square. */
export function countColumns(panels: number): 1 | 2 | 3 {
  if (panels <= 1) return 1;
  return panels === 2 || panels === 4 ? 2 : 3;
}

/** Draws the title of a panel, cut to its width. */
export function drawPanelTitle(
  left: number,
  y: number,
  words: string,
  width: number,
  color = getColor('ink'),
): Mark {
  return drawText(left, y, fitText(words, 12, width, 600), { weight: 600, size: 12, color });
}
