import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Unpacks a zip file from standard input into a folder; without a folder, reads it to its end. Prints the number of entries and of bytes. */
class Unpack {
    public static void main(String[] arguments) throws IOException {
        long entries = 0;
        long bytes = 0;
        byte[] buffer = new byte[64 * 1024];
        try (var zip = new ZipInputStream(new BufferedInputStream(System.in, buffer.length))) {
            for (ZipEntry entry; (entry = zip.getNextEntry()) != null; entries++) {
                if (arguments.length > 0) {
                    Path file = Path.of(arguments[0], entry.getName());
                    Files.createDirectories(file.getParent());
                    bytes += Files.copy(zip, file);
                } else {
                    for (int read; (read = zip.read(buffer)) >= 0;) {
                        bytes += read;
                    }
                }
            }
        }

        System.out.println(entries + " entries, " + bytes + " bytes");
    }
}
