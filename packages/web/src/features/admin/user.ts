import type { AnswerOf } from '@alcove/client'

/** A user as administrators are told of him. */
export type ShownUser = AnswerOf<'GET /users/{id}'>
