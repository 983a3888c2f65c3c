// Imports nothing, because the first page loads it.

/** Matches the `web_url` of a group, optionally followed by `/-/` and the name of a part. */
export const groupPattern = /^\/groups\/(?<place>(?!-\/)[^/]+(?:\/[^/]+)*?)(?:\/-\/(?<part>.*))?\/?$/
