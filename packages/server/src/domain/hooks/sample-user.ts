/** ID of what a sample event invents. Nothing has it, so a receiver that acts on a sample changes nothing. */
export const sampleId = 0

export const sampleUser = { id: sampleId, username: 'sample.user', name: 'Sample User' }
