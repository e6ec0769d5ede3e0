// Uploads a file with tus-js-client, as told by the JSON in the first argument:
// { endpoint, file, name, protocol?, chunkSize?, parallelUploads?, withCreation?, override?, deferLength?, cut?, url? }
// cut: "abort" aborts in the middle and goes on, "socket" destroys the connections in the middle and lets the client retry,
// "kill" ends this process there; url: where another process had begun. Prints one line of JSON.
import fs from 'node:fs'
import http from 'node:http'
import * as tus from 'tus-js-client'

const told = JSON.parse(process.argv[2])
const size = fs.statSync(told.file).size
const sockets = new Set()
const agent = new http.Agent({ keepAlive: true })
const connect = agent.createConnection.bind(agent)
agent.createConnection = (options, done) => {
  const socket = connect(options, done)
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
  return socket
}

let cuts = 0
const requests = []

function inTheMiddle(upload, sent) {
  if (!told.cut || cuts > 0 || sent < size / 2 || sent >= size) return
  cuts++
  if (told.cut === 'socket') {
    for (const socket of sockets) socket.destroy()
  } else if (told.cut === 'kill') {
    fs.writeSync(1, JSON.stringify({ url: upload.url }) + '\n')
    process.kill(process.pid, 'SIGKILL')
  } else {
    upload.abort().then(() => setTimeout(() => upload.start(), 0))
  }
}

const options = {
  endpoint: told.endpoint,
  uploadUrl: told.url ?? null,
  metadata: { filename: told.name, filetype: 'application/octet-stream' },
  retryDelays: [0, 100, 1000],
  chunkSize: told.chunkSize ?? Infinity,
  parallelUploads: told.parallelUploads ?? 1,
  uploadDataDuringCreation: told.withCreation ?? false,
  overridePatchMethod: told.override ?? false,
  uploadLengthDeferred: told.deferLength ?? false,
  httpStack: new tus.DefaultHttpStack({ agent }),
  onProgress: (sent) => inTheMiddle(upload, sent),
  onAfterResponse: (request, response) => {
    requests.push(`${request.getMethod()} ${response.getStatus()}`)
  },
  onError: (error) => {
    console.error(String(error))
    process.exit(1)
  },
  onSuccess: () => {
    console.log(JSON.stringify({ url: upload.url, cuts, requests }))
    process.exit(0)
  },
}
if (told.protocol) options.protocol = told.protocol
const upload = new tus.Upload(size > 0 ? fs.createReadStream(told.file) : Buffer.alloc(0), options)
upload.start()
