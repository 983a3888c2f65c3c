/** Returns a form with one file as bytes that can be sent again. */
export function multipart(filename: string, content: Buffer): { body: Buffer; type: string } {
  const head = `--cut\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`
  return {
    body: Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--cut--\r\n')]),
    type: 'multipart/form-data; boundary=cut',
  }
}
