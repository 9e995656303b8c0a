import { Type, type TSchema } from './schema.ts';

export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 50;

/** What every list endpoint answers. */
export function PageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    items: Type.Array(item),
    count: Type.Integer({ description: 'number of items in this response' }),
    offset: Type.Integer({ description: 'offset used' }),
    total: Type.Integer({ description: 'number of items matching the query across all pages' }),
    next: Type.Optional(
      Type.String({ description: 'opaque cursor of the next page; absent on the last one' }),
    ),
  });
}
