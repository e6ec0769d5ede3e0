using System.IO.Pipelines;

namespace Millrace.Kestrel;

/// <summary>A connection of HTTP/2 into which interim responses can be written.</summary>
internal sealed class InterimConnection : IDuplexPipe
{
    public InterimConnection(IDuplexPipe inner)
    {
        var input = new InterimInput(inner.Input);
        Input = input;
        Output = new InterimOutput(inner.Output, input);
    }

    public PipeReader Input { get; }

    public InterimOutput Output { get; }

    PipeWriter IDuplexPipe.Output => Output;
}
