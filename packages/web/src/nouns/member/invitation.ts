import type { Schemas } from '@alcove/client'

/** Invitation of an e-mail address that is not accepted yet. */
export type Invitation = Schemas['Invitation']
