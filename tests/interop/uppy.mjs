// Uploads files with @uppy/core and @uppy/tus, as told by the JSON in the first argument:
// { endpoint, files: [{ file, name, relativePath? }], chunkSize?, pause? }
// pause: the upload is paused in the middle and resumed. Prints one line of JSON.
import fs from 'node:fs'
import Uppy from '@uppy/core'
import Tus from '@uppy/tus'

const told = JSON.parse(process.argv[2])
const uppy = new Uppy({ autoProceed: false })
uppy.use(Tus, {
  endpoint: told.endpoint,
  chunkSize: told.chunkSize ?? Infinity,
  retryDelays: [0, 100, 1000],
  storeFingerprintForResuming: false,
})
let pauses = 0
for (const { file, name, relativePath } of told.files) {
  uppy.addFile({ name, data: fs.readFileSync(file), meta: relativePath ? { relativePath } : {} })
}
uppy.on('upload-progress', (file, progress) => {
  if (told.pause && pauses === 0 && progress.bytesUploaded > 0 && progress.bytesUploaded < progress.bytesTotal) {
    pauses++
    uppy.pauseResume(file.id)
    setTimeout(() => uppy.pauseResume(file.id), 50)
  }
})
const result = await uppy.upload()
console.log(JSON.stringify({
  successful: result.successful.map((file) => file.uploadURL),
  failed: result.failed.map((file) => file.error),
  pauses,
}))
process.exit(result.failed.length === 0 ? 0 : 1)
