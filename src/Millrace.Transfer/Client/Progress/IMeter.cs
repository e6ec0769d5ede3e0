namespace Millrace.Transfer;

/// <summary>Is told how far something is.</summary>
internal interface IMeter
{
    /// <summary>So many bytes of it are there.</summary>
    void Report(long transferred);
}
