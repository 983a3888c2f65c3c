import type { AnswerOf } from '@alcove/client'

/** User with the fields that administrators can view. */
export type ShownUser = AnswerOf<'GET /users/{id}'>
