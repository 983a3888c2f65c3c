declare module 'markdown-it-emoji/lib/data/full.mjs' {
  const names: Readonly<Record<string, string>>
  // biome-ignore lint/style/noDefaultExport: it is what the file exports
  export default names
}
