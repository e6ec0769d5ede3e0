/** A block of EXIF with the direction in which the camera was held and a thumbnail, as cameras write it. */
function exif(thumbnail, orientation) {
  const tiff = Buffer.alloc(8 + 2 + 12 + 4 + 2 + 24 + 4);
  tiff.write("II*\0", 0, "latin1");
  tiff.writeUInt32LE(8, 4);
  tiff.writeUInt16LE(1, 8);
  const entry = (at, tag, type, value) => {
    tiff.writeUInt16LE(tag, at);
    tiff.writeUInt16LE(type, at + 2);
    tiff.writeUInt32LE(1, at + 4);
    if (type === 3) tiff.writeUInt16LE(value, at + 8);
    else tiff.writeUInt32LE(value, at + 8);
  };
  entry(10, 0x0112, 3, orientation);
  tiff.writeUInt32LE(26, 22);
  tiff.writeUInt16LE(2, 26);
  entry(28, 0x0201, 4, tiff.length);
  entry(40, 0x0202, 4, thumbnail.length);
  const content = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff, thumbnail]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** A JPEG file with a thumbnail in it. */
export const withThumbnail = (jpeg, thumbnail, orientation = 1) => Buffer.concat([jpeg.subarray(0, 2), exif(thumbnail, orientation), jpeg.subarray(2)]);

/**
 * A picture that the browser encodes: a gradient of a hue with a darker sun at the upper left, and noise that makes it as large as a photo.
 * @returns {Promise<Buffer>}
 */
export async function picture(page, { width, height, hue = 30, noise = 0, type = "image/jpeg", quality = 0.9 }) {
  const text = await page.evaluate(async (of) => {
    const canvas = new OffscreenCanvas(of.width, of.height);
    const context = canvas.getContext("2d");
    const sky = context.createLinearGradient(0, 0, of.width, of.height);
    sky.addColorStop(0, `hsl(${of.hue} 80% 80%)`);
    sky.addColorStop(1, `hsl(${of.hue} 60% 30%)`);
    context.fillStyle = sky;
    context.fillRect(0, 0, of.width, of.height);
    context.fillStyle = `hsl(${of.hue} 90% 15%)`;
    context.beginPath();
    context.arc(of.width * 0.3, of.height * 0.3, Math.min(of.width, of.height) * 0.15, 0, 7);
    context.fill();
    if (of.noise) {
      const tile = new OffscreenCanvas(256, 256);
      const image = tile.getContext("2d").createImageData(256, 256);
      for (let i = 0; i < image.data.length; i++) image.data[i] = i % 4 === 3 ? of.noise : Math.random() * 256;
      tile.getContext("2d").putImageData(image, 0, 0);
      context.fillStyle = context.createPattern(tile, "repeat");
      context.fillRect(0, 0, of.width, of.height);
    }
    const blob = await canvas.convertToBlob({ type: of.type, quality: of.quality });
    return new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.readAsDataURL(blob);
    });
  }, { width, height, hue, noise, type, quality });
  return Buffer.from(text.slice(text.indexOf(",") + 1), "base64");
}
