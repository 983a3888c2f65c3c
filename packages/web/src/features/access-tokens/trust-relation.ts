import type { RowOf } from '@alcove/client'

export type Relation = RowOf<'GET /projects/{id}/trust_relations'>
