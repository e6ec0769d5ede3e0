using System.IO.Pipes;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Tests.Sources;

/// <summary>Pipes of the framework, which every system has: no length and no positions.</summary>
public sealed class PipeTests
{
    private const int Length = 300_001;

    [Theory, EveryValue]
    public async Task Pipe_is_read_to_its_end(ReadStrategy strategy, bool portable)
    {
        using var writer = new AnonymousPipeServerStream(PipeDirection.Out);
        using var handle = new SafeFileHandle(writer.ClientSafePipeHandle.DangerousGetHandle(), ownsHandle: false);
        await using FilePipeReader reader = FilePipe.OpenRead(handle, new FileReadOptions { Strategy = strategy, Portable = portable });
        Task writing = WriteAsync(writer);

        await reader.AssertRestAsync(0, Length);
        await writing.Soon();
    }

    /// <summary>Unix has no pipes with names of this kind; its FIFOs have their own tests.</summary>
    [Theory, EveryValue]
    public async Task Pipe_of_Windows_is_read_by_its_name(ReadStrategy strategy)
    {
        string name = Guid.NewGuid().ToString("N");
        string path = @"\\.\pipe\" + name;
        var options = new FileReadOptions { Strategy = strategy };
        if (!OperatingSystem.IsWindows())
        {
            Assert.Equal(FilePipeError.NotFound, Assert.Throws<FilePipeException>(() => FilePipe.OpenRead(path, options)).Error);
            return;
        }

        using var writer = new NamedPipeServerStream(name, PipeDirection.Out);
        await using FilePipeReader reader = FilePipe.OpenRead(path, options);
        await writer.WaitForConnectionAsync().Soon();
        Task writing = WriteAsync(writer);

        await reader.AssertRestAsync(0, Length);
        await writing.Soon();
    }

    private static Task WriteAsync(PipeStream writer) => Task.Run(() =>
    {
        for (int start = 0; start < Length; start += 10_007)
        {
            writer.Write(TestContent.Between(start, Math.Min(Length, start + 10_007)).Span);
        }

        writer.Dispose();
    });
}
