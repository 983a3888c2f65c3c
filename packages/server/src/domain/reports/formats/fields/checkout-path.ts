/** Folders into which CI systems check out a repository. */
const checkouts: readonly RegExp[] = [
  /^\/(?:home\/runner\/work|__w)\/[^/]+\/[^/]+\//,
  /^\/builds\/[^/]+\/[^/]+\//,
  /^\/github\/workspace\//,
  /^\/home\/vsts\/work\/\d+\/s\//,
  /^\/opt\/atlassian\/pipelines\/agent\/build\//,
  /^\/var\/(?:lib\/)?jenkins(?:_home)?\/workspace\/[^/]+\//,
  /^\/woodpecker\/src\/[^/]+\/[^/]+\/[^/]+\//,
  /^\/(?:drone\/src|workspace|src|repo|app)\//,
  /^[A-Za-z]:\/a\/[^/]+\/[^/]+\//,
]

/**
 * Returns the path of a file in its repository, from a path that a scanner has written: without `./`, with slashes, and
 * without the folder of a known CI system. Findings are identified by their file, so the result depends on this path alone
 * and not on others in the report. Other absolute paths stay as they are.
 */
export function checkoutPath(written: string): string {
  const path = (/^[A-Za-z]:\\|^\.?\\|^[^/]+\\/.test(written) ? written.replaceAll('\\', '/') : written).replace(
    /^(?:\.\/+)+/,
    '',
  )
  const checkout = checkouts.find((pattern) => pattern.test(path))
  return (checkout && path.replace(checkout, '')) || path
}
