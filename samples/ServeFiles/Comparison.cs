using System.Diagnostics;
using System.Globalization;

namespace ServeFiles;

/// <summary>Downloads and uploads a file with both transports, each server in its own process.</summary>
internal static class Comparison
{
    private const int Rounds = 7;

    public static async Task<int> RunAsync(int megabytes)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("millrace-serve-");
        try
        {
            byte[] content = new byte[megabytes << 20];
            Random.Shared.NextBytes(content);
            await File.WriteAllBytesAsync(Path.Combine(folder.FullName, "file"), content);
            Console.WriteLine("transport  download ms  processor ms  upload ms  processor ms");
            Console.WriteLine(await MeasureAsync("stock", content, folder.FullName, "--stock"));
            Console.WriteLine(await MeasureAsync("millrace", content, folder.FullName));
            return 0;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static async Task<string> MeasureAsync(string name, byte[] content, params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", [typeof(Comparison).Assembly.Location, .. arguments])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        using Process server = Process.Start(start)!;
        try
        {
            using var client = new HttpClient { BaseAddress = new Uri((await server.StandardOutput.ReadLineAsync())!) };
            (double download, double downloading) = await MedianAsync(server, async () =>
            {
                await using Stream body = await client.GetStreamAsync(new Uri("/file", UriKind.Relative));
                await body.CopyToAsync(Stream.Null, 1 << 18);
            });
            (double upload, double uploading) = await MedianAsync(server, async () =>
            {
                using var body = new ByteArrayContent(content);
                using HttpResponseMessage response = await client.PutAsync(new Uri("/upload", UriKind.Relative), body);
                response.EnsureSuccessStatusCode();
            });
            return string.Create(
                CultureInfo.InvariantCulture, $"{name,-9}  {download,11:F1}  {downloading,12:F1}  {upload,9:F1}  {uploading,12:F1}");
        }
        finally
        {
            server.StandardInput.Close();
            await server.WaitForExitAsync();
        }
    }

    /// <returns>The median time of a transfer, after one that warms up, and the server's processor time for one.</returns>
    private static async Task<(double Time, double Processor)> MedianAsync(Process server, Func<Task> transfer)
    {
        await transfer();
        double[] times = new double[Rounds];
        server.Refresh();
        TimeSpan before = server.TotalProcessorTime;
        for (int round = 0; round < Rounds; round++)
        {
            long start = Stopwatch.GetTimestamp();
            await transfer();
            times[round] = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        }

        server.Refresh();
        Array.Sort(times);
        return (times[Rounds / 2], (server.TotalProcessorTime - before).TotalMilliseconds / Rounds);
    }
}
