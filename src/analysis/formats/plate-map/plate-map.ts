/** A plate map on its own: every block names content, and none has values. */
import type { MapFormat } from '../format.ts';
import { hasValues } from '../wells/blocks.ts';
import { isMapBlock, parsePlateMap } from '../wells/plate-map.ts';

export const plateMap: MapFormat = {
  id: 'plate-map',
  name: 'plate map',
  title: 'plate map',
  kind: 'map',
  grouping: 'sheet',
  recognizes: ({ blocks }) =>
    blocks.some(isMapBlock) && blocks.every((block) => isMapBlock(block) || !hasValues(block)),
  parse({ grid, blocks }) {
    const notices: string[] = [];
    return { map: parsePlateMap(grid, blocks, notices), notices };
  },
};
