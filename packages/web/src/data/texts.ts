/** Texts of the UI. */
export const texts = {
  canceledNothingChanged: 'Canceled. Nothing changed.',
  theConnectionWasLost: 'The connection was lost, or the file changed during the upload. Try again.',
  youAreStillSigned: (message: string) => `You are still signed in: ${message}`,
}
