import type { RootDeps } from '../deps.ts'

/**
 * Final states: `sent`, `skipped` (not wanted or not permitted any more), `failed` (refused, or not accepted in time) and
 * `unknown` (the process or the connection ended before the server's reply; not sent again).
 */
export type MailState = 'queued' | 'sending' | 'sent' | 'skipped' | 'failed' | 'unknown'

/** User, whose current address is used, or an address without an account. */
type MailRecipient = { userId: number } | { address: string }

/** Message that waits to be sent. */
export interface MailDraft<Data extends object> {
  to: MailRecipient
  /** Names the event and the recipient, such as `new-sign-in:72:5`. A second message with the same key is not queued. */
  eventKey: string
  data: Data
}

/** Person whom a message addresses. */
export interface Addressee {
  address: string
  /** Absent for an address without an account. */
  user?: { id: number; name: string; username: string; isConfirmed: boolean }
}

/** Definition of a kind of message. */
export interface MailKind<Data extends object> {
  kind: string
  /**
   * Returns the content when the message is about to be sent, or `undefined` if it must not be sent any more. It checks
   * here that the user may still see what the message shows. It may run again after a failed attempt.
   */
  describe(deps: RootDeps, to: Addressee, data: Data): Promise<MailContent | undefined>
}

/** Kind of message with an erased type of data, as used by the queue. */
export type AnyMailKind = MailKind<object>

/** Content from which the text and the HTML part are made. All strings are plain text and become one line each. */
export interface MailContent {
  subject: string
  blocks: readonly MailBlock[]
  attachment?: MailAttachment
  /** For messages that the recipient can turn off. */
  subscription?: Subscription
}

interface MailAttachment {
  filename: string
  contentType: string
  content: Buffer
}

export interface Subscription {
  /** Page with the preferences. */
  settingsUrl: string
  /** Ends the subscription with a POST request and without signing in. */
  unsubscribeUrl: string
}

/** Paragraph, heading, link on a line of its own, or list. */
export type MailBlock = string | { heading: string } | { link: string; url: string } | { list: readonly MailItem[] }

export interface MailItem {
  text: string
  url?: string
}

/** Kind of message as it is queued, by a noun that may not import the one that defines its content. */
export interface QueuedKind<Data extends object> {
  kind: string
  describe?: MailKind<Data>['describe']
}

/** Returns a time as messages show it, in UTC. */
export function shownTime(time: string): string {
  return time.slice(0, 16).replace('T', ' ')
}

export function mailKind<Data extends object>(kind: MailKind<Data>): MailKind<Data> {
  return kind
}
