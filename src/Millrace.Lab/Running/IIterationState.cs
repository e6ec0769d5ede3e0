using Millrace.Lab.Meters;

namespace Millrace.Lab.Running;

/// <summary>The state of the machine that a case asks for, for example a hot cache.</summary>
internal interface IIterationState
{
    /// <summary>Sets and verifies the state before an invocation; not timed.</summary>
    /// <returns>Null when the state is as the case asks for, otherwise what is wrong with it.</returns>
    string? Prepare(LabCase labCase);

    /// <summary>What a server in a process of its own used for the last invocation, once that is finished; null without one.</summary>
    ServerUse? Server => null;

    /// <summary>Processor time that another process used in this one's place for the last invocation, once that is finished.</summary>
    long ForeignCpuNs => 0;

    /// <summary>
    /// What part of a link's bandwidth the last invocation used after its first second, once it is finished; null without a
    /// link, and of one that was shorter.
    /// </summary>
    double? LinkShare => null;

    /// <summary>Lets a server in a process of its own collect its garbage.</summary>
    /// <returns>Bytes of large objects that it allocated since the last call; null without one, or when it does not know.</returns>
    long? ServerLargeObjects() => null;

    /// <summary>Looks at what an invocation left behind and takes it away; not timed.</summary>
    /// <exception cref="Exception">It is not what the case should have left.</exception>
    void Finish(LabCase labCase)
    {
    }
}
