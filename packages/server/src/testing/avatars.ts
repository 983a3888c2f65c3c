import { formWithFile } from './client.ts'

/** An image of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Returns a form with an avatar and other fields. */
export const formWithAvatar = (fields: Record<string, string> = {}) =>
  formWithFile('avatar', 'my logo.png', png, fields)
