import type { Settings } from '../../../platform/settings/settings.ts'

/** Accepts avatars up to the upload limit, so that the avatar rule can report its own message for large ones. */
export function anyFile({ maxUploadBytes }: Settings) {
  return { maxBytes: maxUploadBytes, sentence: 'this is more than the server takes' }
}
