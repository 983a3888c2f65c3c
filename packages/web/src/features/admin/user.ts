import type { ResponseOf } from '@alcove/client'

/** User with the fields that administrators can view. */
export type ShownUser = ResponseOf<'GET /users/{id}'>
